print("vicinity")
